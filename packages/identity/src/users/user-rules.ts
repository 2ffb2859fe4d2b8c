/** The stored form of a name: upper and lower case are the same. */
export const keptName = (name: string): string => name.trim().toLowerCase();
