/** Where clients look for each family of routes (reference A0: what they append to their configured address). */
export const v1 = { mounts: ['', '/api', '/api/v1'] } as const;
export const v2 = { mounts: ['', '/api'], dialect: 'problem' } as const;
export const platform = { mounts: ['/v1', '/api/v1'] } as const;
export const otlp = { mounts: ['', '/otel', '/api/otel', '/api/v1/otel'], dialect: 'ingest' } as const;
export const ingest = { mounts: ['', '/api', '/api/v1'], dialect: 'ingest', access: 'traces:write' } as const;
