import { LONGLIVED_TTL_DAYS, type info } from '@roadstead/contracts/observability';
import type { Handlers } from '@roadstead/http';
import { Problem } from '@roadstead/kit';
import { retention_days } from '../partitions/week-rules.ts';
import type { DiskGuard } from './disk-guard.ts';

type InfoHandlers = Handlers<typeof info>;

/** The release of the LangSmith API that we report; clients compare it. */
const LANGSMITH_VERSION = '0.18.0';

const facts = {
  version: LANGSMITH_VERSION,
  git_sha: null,
  license_expiration_time: null,
  batch_ingest_config: {
    use_multipart_endpoint: true,
    scale_up_qsize_trigger: 1000,
    scale_up_nthreads_limit: 16,
    scale_down_nempty_trigger: 4,
    size_limit: 1000,
    size_limit_bytes: 5_242_880,
  },
  instance_flags: {
    gzip_body_enabled: true,
    zstd_compression_enabled: true,
    dataset_examples_multipart_enabled: true,
    examples_multipart_enabled: true,
    ch_query_enabled: true,
    /** Clients that see `true` read runs by v2; they need not, since v1 gives the same answers. */
    sdb_query_enabled: false,
    trace_tier_duration_days: retention_days,
  },
  customer_info: {},
  allowed_longlived_ttl_days: [...LONGLIVED_TTL_DAYS],
};

/** The facts that clients request before they trace. */
export function infoHandlers({
  disk,
  ready,
}: {
  readonly disk: DiskGuard;
  readonly ready: () => Promise<boolean>;
}): InfoHandlers {
  return {
    readInfo: async () => facts,
    readInfoHealth: async () => ({ clickhouse_disk_free_pct: await disk.freePercent() }),
    readOk: async () => {
      if (!(await ready())) throw new Problem('unavailable', 'The database of traces is away.');
      return { ok: true };
    },
  };
}
