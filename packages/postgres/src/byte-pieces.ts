import type { PoolClient } from 'pg';

/**
 * A large parameter as bytes that are not joined: the driver would copy them twice, within one turn of the event
 * loop.
 */
export class BytePieces {
  readonly pieces: readonly Uint8Array[];

  constructor(pieces: readonly Uint8Array[]) {
    this.pieces = pieces;
  }
}

interface Bind {
  readonly portal?: string;
  readonly statement?: string;
  readonly values?: readonly unknown[];
  readonly binary?: boolean;
  readonly valueMapper: (value: unknown) => string | Buffer | null;
}

/** The part of the connection that is used; the driver declares no types for it. */
interface Connection {
  readonly stream: { readonly writable: boolean; write(bytes: Uint8Array): unknown };
  bind(config: Bind): void;
}

/** Makes a client write pieces to its socket without joining them. */
export function sendPieces(client: PoolClient): void {
  const { connection } = client as unknown as { readonly connection: Connection };
  const bind = connection.bind.bind(connection);
  connection.bind = (config) => {
    const { values = [] } = config;
    if (!values.some((value) => value instanceof BytePieces)) return bind(config);
    const message = bindMessage(config, values);
    if (connection.stream.writable) for (const bytes of message) connection.stream.write(bytes);
  };
}

/** The message `Bind` of PostgreSQL's protocol 3.0. */
function bindMessage(config: Bind, values: readonly unknown[]): readonly Uint8Array[] {
  const { portal = '', statement = '', binary = false, valueMapper } = config;
  const sent = values.map((value) => {
    if (value instanceof BytePieces) return { format: 1, pieces: value.pieces };
    const mapped = valueMapper(value);
    if (mapped === null) return { format: 0, pieces: undefined };
    return typeof mapped === 'string'
      ? { format: 0, pieces: [Buffer.from(mapped)] }
      : { format: 1, pieces: [mapped] };
  });
  const body = [
    Buffer.from(`${portal}\0${statement}\0`),
    int16(sent.length),
    ...sent.map(({ format }) => int16(format)),
    int16(sent.length),
    ...sent.flatMap(({ pieces }) =>
      pieces === undefined ? [int32(-1)] : [int32(lengthOf(pieces)), ...pieces],
    ),
    int16(1),
    int16(binary ? 1 : 0),
  ];
  return [Buffer.from('B'), int32(lengthOf(body) + 4), ...body];
}

const lengthOf = (pieces: readonly Uint8Array[]) => pieces.reduce((sum, { length }) => sum + length, 0);

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}
