import type { StoredPayload } from '../records/payload-packing.ts';

/** One state of an example as its row in SQL. Instants are ISO text with microseconds. */
export interface ExampleRow {
  readonly workspace_id: string;
  readonly example_id: string;
  readonly dataset_id: string;
  readonly dataset_name: string;
  /** The version that made this state. */
  readonly valid_from: string;
  readonly created_at: string;
  /** The place in the order in which examples were created. */
  readonly position: number;
  readonly source_run_id: string | null;
  /** JSON text, so that no number is rounded; null once the example was removed for good. */
  readonly metadata: string | null;
}

/** A file of an example; its bytes are a blob. */
export interface ExampleAttachment {
  readonly name: string;
  readonly content_type: string;
  readonly digest: string;
  readonly size: number;
}

export interface ExampleRecord {
  readonly row: ExampleRow;
  readonly inputs: StoredPayload | undefined;
  readonly outputs: StoredPayload | undefined;
  /** The files, ordered by name. */
  readonly attachments: readonly ExampleAttachment[];
}

export const examplePayloadKinds = ['inputs', 'outputs'] as const;
export type ExamplePayloadKind = (typeof examplePayloadKinds)[number];
