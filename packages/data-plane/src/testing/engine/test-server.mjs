// A server as an image may bring one; what it does follows from BEHAVES. It needs nothing but Node.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const { BEHAVES = 'works', PORT = '8000', NAME = 'one' } = process.env;
if (BEHAVES === 'exits') {
  console.error('this server ends at once');
  process.exit(3);
}
if (BEHAVES === 'fills its memory') fill();
if (BEHAVES === 'ignores SIGTERM') process.on('SIGTERM', () => undefined);
else process.on('SIGTERM', () => process.exit(0));

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://server');
  if (pathname === '/ok' && BEHAVES === 'fails its check') return void response.writeHead(500).end();
  if (pathname === '/exit') process.exit(Number(searchParams.get('code')));
  if (pathname === '/slow') {
    response.write('begun ');
    return void setTimeout(() => response.end('and ended'), Number(searchParams.get('ms')));
  }
  if (pathname === '/fill') fill();
  if (pathname === '/variable') return void response.end(process.env[searchParams.get('name')]);
  if (pathname === '/file') return void response.end(contentOf(searchParams.get('path')));
  if (pathname === '/away') return void response.writeHead(302, { location: '/ok' }).end();
  let body = '';
  request.setEncoding('utf8').on('data', (piece) => (body += piece));
  request.on('end', () => {
    console.log(`answers ${request.method} ${request.url}`);
    response.setHeader('content-type', 'application/json');
    const { method, url, headers } = request;
    response.end(JSON.stringify({ name: NAME, secret: process.env.SECRET, method, url, headers, body }));
  });
});
function contentOf(path) {
  try {
    return readFileSync(path);
  } catch (error) {
    return String(error);
  }
}
function fill() {
  const held = [];
  for (;;) held.push(Buffer.alloc(16 * 1024 * 1024, 1));
}
function print() {
  const line = `${'so much to say '.repeat(20)}\n`;
  while (process.stdout.write(line));
  process.stdout.once('drain', () => setImmediate(print));
}
// Says back what it hears, a frame at a time (RFC 6455), for texts below 126 bytes.
server.on('upgrade', (request, socket) => {
  const key = `${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
  const accept = createHash('sha1').update(key).digest('base64');
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  );
  socket
    .on('error', () => socket.destroy())
    .on('data', (frame) => {
      if ((frame[0] & 15) === 8) return void socket.end(Buffer.from([0x88, 0]));
      const length = frame[1] & 127;
      const mask = frame.subarray(2, 6);
      const text = Buffer.from(frame.subarray(6, 6 + length).map((byte, at) => byte ^ mask[at % 4]));
      socket.write(Buffer.concat([Buffer.from([0x81, length]), text]));
    });
});
if (BEHAVES === 'fills its log') print();
if (BEHAVES !== 'never listens') server.listen(Number(PORT), () => console.log(`listens on ${PORT}`));
else setInterval(() => undefined, 1000);
