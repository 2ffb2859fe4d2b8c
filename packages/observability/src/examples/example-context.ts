import type { Blobs } from '@roadstead/blobs';
import type { Clock } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import type { AttachmentAddresses } from '../attachments/attachment-addresses.ts';
import { SchemaChecker } from '../schemas/schema-checker.ts';
import { BodyRoom } from '../decoding/body-room.ts';

/** The context of all work on datasets and examples. */
export interface ExampleContext {
  readonly db: Database;
  readonly blobs: Blobs;
  readonly addresses: AttachmentAddresses;
  readonly schemas: SchemaChecker;
  /** The memory for bodies with examples. */
  readonly room: BodyRoom;
  now(): string;
}

export function openExampleContext({
  clock,
  ...given
}: Pick<ExampleContext, 'db' | 'blobs' | 'addresses'> & { readonly clock: Clock }): ExampleContext &
  AsyncDisposable {
  const schemas = new SchemaChecker();
  return {
    ...given,
    schemas,
    room: new BodyRoom(),
    now: () => new Date(clock.now()).toISOString(),
    [Symbol.asyncDispose]: () => schemas[Symbol.asyncDispose](),
  };
}
