import { z } from 'zod';
import { endpoint } from '../endpoints/endpoint.ts';
import { v1 } from './mounts.ts';

const Free = z.record(z.string(), z.unknown());

export const info = {
  readInfo: endpoint({
    ...v1,
    method: 'GET',
    path: '/info',
    summary: 'What this server can do; SDKs steer their ingestion by it',
    auth: 'public',
    success: {
      status: 200,
      body: z.object({
        version: z.string(),
        git_sha: z.string().nullable(),
        license_expiration_time: z.string().nullable(),
        batch_ingest_config: Free,
        instance_flags: Free,
        customer_info: Free,
        allowed_longlived_ttl_days: z.array(z.number()),
      }),
    },
  }),
  readInfoHealth: endpoint({
    ...v1,
    method: 'GET',
    path: '/info/health',
    summary: 'Free share of the disk that holds the traces',
    auth: 'public',
    success: { status: 200, body: z.object({ clickhouse_disk_free_pct: z.number() }) },
  }),
  readOk: endpoint({
    method: 'GET',
    path: '/ok',
    mounts: ['/api', '/api/v1'],
    summary: 'Whether traces can be stored',
    auth: 'public',
    success: { status: 200, body: z.object({ ok: z.literal(true) }) },
  }),
};
