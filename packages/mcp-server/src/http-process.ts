import { listen, toNodeListener } from '@roadstead/http';
import { createLog, type Log, Problem } from '@roadstead/kit';
import { createGuardedFetch } from '@roadstead/outbound';
import { stopSignal } from '@roadstead/service';
import { createProcessCallers } from './access/process-caller.ts';
import { ELSEWHERE, startMcpServer } from './mcp-server.ts';

export interface HttpProcessOptions {
  readonly host: string;
  /** 0 chooses a free one. */
  readonly port: number;
  /** The API to read where a request names none, without a trailing slash. */
  readonly endpoint: string;
  /** Other endpoints that a request may name. */
  readonly allowed_endpoints: readonly string[];
  /** The toolsets that requests may have; all by default. */
  readonly toolsets?: readonly string[];
  readonly allow_root: boolean;
  /** Called once it listens. */
  readonly onReady: (port: number) => void;
  readonly log?: Log;
}

/** How long answers may take to end after a signal; endless streams are cut then. */
const DRAIN_MS = 5000;

/** Serves the tools over HTTP, each request with its own credentials, until a signal ends the process. */
export async function serveHttp(options: HttpProcessOptions): Promise<void> {
  const { host, port, endpoint, allow_root, log = createLog({ level: 'info' }) } = options;
  refuseRoot(process.getuid?.(), allow_root);
  const stop = stopSignal();
  stop.forced.addEventListener('abort', () => process.exit(130));
  const policy = { api_url: endpoint, allowed_endpoints: options.allowed_endpoints };
  const guarded = createGuardedFetch({
    // The operator named them, so they may be in a private network.
    allowed_hosts: [endpoint, ...options.allowed_endpoints].flatMap((one) => URL.parse(one)?.host ?? []),
    ...ELSEWHERE,
  });
  // A redirect would carry the key to an address that was not allowed.
  const fetch = async (request: Request) => guarded(new Request(request, { redirect: 'error' }));
  const callers = createProcessCallers({ ...policy, fetch });
  await using mcp = await startMcpServer({
    ...policy,
    fetch,
    accessOf: callers.accessOf,
    verify: callers.verify,
    ...(options.toolsets === undefined ? {} : { toolsets: options.toolsets }),
    log,
  });
  const listener = toNodeListener(async (request) =>
    mcp.served.fetch(request, request.method === 'POST' ? await callers.inward(request.headers) : {}),
  );
  await using server = await listen(listener, { host, port }, { drain_ms: DRAIN_MS });
  options.onReady(server.port);
  await stop.asked;
}

/**
 * A process that listens needs no right of root, and a fault in it would have them all.
 * @throws Problem `forbidden` for root, unless the operator allowed it
 */
export function refuseRoot(uid: number | undefined, allow_root: boolean): void {
  if (uid !== 0 || allow_root) return;
  throw new Problem(
    'forbidden',
    '`roadstead mcp --http` does not run as root: start it as another user, or say --allow-root.',
  );
}
