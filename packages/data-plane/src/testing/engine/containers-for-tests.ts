import { ContainerEngine } from '@roadstead/containers';
import { silentLog } from '@roadstead/kit';
import type { ServerPlace } from '../../ports/server-place.ts';
import { containerServers } from '../../servers/container-servers.ts';

export const TEST_LABEL = 'dev.roadstead.test';

/** Servers in containers of an engine, real or played, that a label marks. */
export const labelledServers = (socket: string, label: string): ServerPlace =>
  containerServers({
    engine: new ContainerEngine(socket),
    ensureImage: async () => undefined,
    runs_checks: true,
    network: 'bridge',
    labels: { [TEST_LABEL]: label },
    disk_mb: 1024,
    log: silentLog,
  });
