import { type Blobs, ByteBudget, type Clock, type Database } from '@roadstead/kit';
import type { AttachmentAddresses } from '../attachments/attachment-addresses.ts';
import { SchemaChecker } from '../datasets/schema-checker.ts';
import { ByteGate } from '../ingest/byte-gate.ts';

/** What everything about datasets and examples needs. */
export interface ExampleContext {
  readonly db: Database;
  readonly blobs: Blobs;
  readonly addresses: AttachmentAddresses;
  readonly schemas: SchemaChecker;
  /** Bodies with examples that are in memory: of all workspaces together, and of each. */
  readonly gate: ByteGate;
  readonly budget: ByteBudget;
  now(): string;
}

const MAX_HELD_BYTES = 268_435_456;
const MAX_WORKSPACE_BYTES = 134_217_728;

export function openExampleContext({
  clock,
  ...given
}: Pick<ExampleContext, 'db' | 'blobs' | 'addresses'> & { readonly clock: Clock }): ExampleContext &
  AsyncDisposable {
  const schemas = new SchemaChecker();
  return {
    ...given,
    schemas,
    gate: new ByteGate(MAX_HELD_BYTES),
    budget: new ByteBudget(MAX_WORKSPACE_BYTES),
    now: () => new Date(clock.now()).toISOString(),
    [Symbol.asyncDispose]: () => schemas[Symbol.asyncDispose](),
  };
}
