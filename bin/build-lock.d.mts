/** Takes the lock of a folder unless a living process has it; throws where the folder can't be written. */
export function takeLock(folder: string): boolean;
export function releaseLock(folder: string): void;
/** Removes what dead processes left: `dist.123`, `dist.123.old`. */
export function sweep(folder: string): void;
