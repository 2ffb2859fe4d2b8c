import type { StoredPayload } from '../records/payload-packing.ts';

/** One state of an example as SQL has it. Instants as ISO text with microseconds. */
export interface ExampleRow {
  readonly workspace_id: string;
  readonly example_id: string;
  readonly dataset_id: string;
  readonly dataset_name: string;
  /** The version that made this state. */
  readonly valid_from: string;
  readonly created_at: string;
  /** In the order in which examples were created. */
  readonly position: number;
  readonly source_run_id: string | null;
  /** JSON text, so that no number is rounded; null once everything was removed from the example for good. */
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
  /** In the order of their names. */
  readonly attachments: readonly ExampleAttachment[];
}

export const examplePayloadKinds = ['inputs', 'outputs'] as const;
export type ExamplePayloadKind = (typeof examplePayloadKinds)[number];
