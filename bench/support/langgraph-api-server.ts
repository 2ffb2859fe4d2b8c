import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { freePort } from '../../test/support/platform.ts';

/**
 * The original's server for development, in a process of its own: `node langgraph-api-server.ts FOLDER PROJECT WORKERS`. It is
 * installed in the folder, and serves `graph.js` of the project. Tells its port on the first line.
 */

interface ServerModule {
  startServer(options: object): Promise<unknown>;
}

const [folder = '.', project = '.', workers = '32'] = process.argv.slice(2);
const resolve = createRequire(join(folder, 'package.json')).resolve;
const { startServer } = (await import(
  pathToFileURL(resolve('@langchain/langgraph-api/server')).href
)) as ServerModule;
const port = await freePort();
await startServer({
  port,
  host: '127.0.0.1',
  nWorkers: Number(workers),
  cwd: project,
  graphs: { graph: './graph.js:graph' },
});
process.stdout.write(`port ${port}\n`);
