import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { freePort } from '../../support/platform.ts';

/** The original's server, in memory, in a process of its own: `node original-server.ts FOLDER PROJECT`. Tells its port. */

interface ServerModule {
  startServer(options: object): Promise<unknown>;
}

const [folder = '.', project = '.'] = process.argv.slice(2);
const { resolve } = createRequire(join(folder, 'package.json'));
const { href } = pathToFileURL(resolve('@langchain/langgraph-api/server'));
const { startServer } = (await import(href)) as ServerModule;
const port = await freePort();
await startServer({
  port,
  host: '127.0.0.1',
  nWorkers: 10,
  cwd: project,
  graphs: { gate: './gate.js:graph' },
});
process.stdout.write(`port ${port}\n`);
