/** Exports what is no graph. */
export const value = 42;
