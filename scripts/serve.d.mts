/** The policy that memplan promises to run under. */
export const CONTENT_SECURITY_POLICY: string;

/** Serves folders by URL prefix, and `routes` from memory, on 127.0.0.1. `port` 0 takes any free one. */
export function serve(
  roots: Record<string, string>,
  options?: {
    port?: number;
    csp?: string;
    routes?: Record<string, { type: string; body: string | Uint8Array }>;
  },
): Promise<{ url: string; close(): Promise<void> }>;
