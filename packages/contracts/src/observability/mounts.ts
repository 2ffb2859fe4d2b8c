/**
 * The mounts of each family of routes, by what clients append to the address that they are given. The official command
 * line and MCP server append `/api/v1` also to an address that already has it or `/api`.
 */
const v1_mounts = ['', '/api', '/api/v1', '/api/api/v1', '/api/v1/api/v1'] as const;
export const v1 = { mounts: v1_mounts } as const;
export const v2 = { mounts: ['', '/api', '/api/api'], dialect: 'problem' } as const;
export const platform = { mounts: ['/v1', '/api/v1'] } as const;
export const otlp = { mounts: ['', '/otel', '/api/otel', '/api/v1/otel'], dialect: 'ingest' } as const;
export const ingest = { mounts: v1_mounts, dialect: 'ingest', access: 'traces:write' } as const;

/**
 * The date on which LangSmith will remove endpoints from its cloud. They stay here; their answers carry the same
 * headers.
 */
export const retiring = { sunset: '2027-01-31' } as const;
/** The same for endpoints that it has removed. */
export const retired = { sunset: '2026-08-20' } as const;
