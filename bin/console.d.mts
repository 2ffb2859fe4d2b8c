/** Builds unless what is there is good; waits where another process builds. */
export function buildConsole(): Promise<void>;
