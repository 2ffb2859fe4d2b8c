/**
 * Where clients look for each family of routes by what they append to the address that they are given. The
 * official command line and MCP server append `/api/v1` also to an address that has it or `/api` already.
 */
const v1_mounts = ['', '/api', '/api/v1', '/api/api/v1', '/api/v1/api/v1'] as const;
export const v1 = { mounts: v1_mounts } as const;
export const v2 = { mounts: ['', '/api', '/api/api'], dialect: 'problem' } as const;
export const platform = { mounts: ['/v1', '/api/v1'] } as const;
export const otlp = { mounts: ['', '/otel', '/api/otel', '/api/v1/otel'], dialect: 'ingest' } as const;
export const ingest = { mounts: v1_mounts, dialect: 'ingest', access: 'traces:write' } as const;

/** What LangSmith has announced to remove from its cloud, and when. It stays here; answers say so as its own do. */
export const retiring = { sunset: '2027-01-31' } as const;
/** The same of what it has removed. */
export const retired = { sunset: '2026-08-20' } as const;
