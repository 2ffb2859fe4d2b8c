/** How a name is kept: upper and lower case are the same. */
export const keptName = (name: string): string => name.trim().toLowerCase();
