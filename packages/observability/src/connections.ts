/** How the connections to the database of traces are shared out. */

/** Who asks once in a while doesn't wait for a connection to be made and its catalogue to be read. */
export const SERVING_CONNECTIONS = { max: 6, kept: 2 } as const;
/** Two transactions of the queue, two steps of the digest, and those who wait for it. */
export const INGESTION_CONNECTIONS = { max: 6, kept: 1 } as const;
