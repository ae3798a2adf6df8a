export function pageScripts(): Uint8Array;
