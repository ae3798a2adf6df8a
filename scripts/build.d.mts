/** Configures a preset where needed, and builds a target of it, or all. */
export function buildPreset(preset: string, target?: string): Promise<void>;
