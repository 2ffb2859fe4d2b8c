// The program that ssh connects through to a repository's host: it asks the proxy of the data plane for a connection,
// and copies bytes. It is alone in its process, with nothing but Node: git's fence shows no other file of ours.
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
