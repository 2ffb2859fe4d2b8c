/** A graph host with fewer runs says nothing of its load: it takes more anyway. */
export const MANY_RUNS = 8;
