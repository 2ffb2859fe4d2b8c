// What ssh connects through to a repository's host: asks the proxy of the data plane for a connection, and passes on
// bytes. Alone in its process, with nothing but Node: it is the one file of ours that git's fence shows.
import { readFileSync } from 'node:fs';
import { request } from 'node:http';

interface Way {
  readonly port: number;
  readonly to: string;
  readonly authorization: string;
}

const [, , file = ''] = process.argv;
const { port, to, authorization } = JSON.parse(readFileSync(file, 'utf8')) as Way;

function giveUp(): void {
  process.exit(1);
}

request({
  host: '127.0.0.1',
  port,
  method: 'CONNECT',
  path: to,
  headers: { 'proxy-authorization': authorization },
})
  .on('connect', ({ statusCode }, socket, head) => {
    if (statusCode !== 200) return giveUp();
    process.stdout.on('error', giveUp);
    socket.on('error', giveUp).on('close', () => process.exit(0));
    process.stdout.write(head);
    socket.pipe(process.stdout);
    process.stdin.pipe(socket);
  })
  .on('error', giveUp)
  .end();
