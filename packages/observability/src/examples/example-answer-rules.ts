import type { AttachmentAddresses } from '../attachments/attachment-addresses.ts';
import type { Member, Members } from '../reading/json-answer.ts';
import type { StoredPayload } from '../records/payload-packing.ts';
import type { ExampleAttachment, ExampleRecord } from './example-row.ts';

/** Examples as the API answers them: every field is present, null where it is empty or wasn't asked for. */

const selectable = ['outputs', 'metadata', 'attachment_urls'] as const;
export type SelectedField = (typeof selectable)[number];

/** The optional fields of an example; by default an answer has all but the addresses of its files. */
export function selectedFields(select: readonly string[] | undefined): ReadonlySet<SelectedField> {
  if (select === undefined) return new Set(['outputs', 'metadata']);
  return new Set(selectable.filter((name) => select.includes(name)));
}

export const everyField: ReadonlySet<SelectedField> = new Set(selectable);

/** @param addresses of files, where these are shown. */
export function exampleMembers(
  { row, inputs, outputs, attachments }: ExampleRecord,
  {
    selected,
    addresses,
  }: { readonly selected: ReadonlySet<SelectedField>; readonly addresses: AttachmentAddresses },
): Members {
  const metadata = row.metadata === null ? undefined : Buffer.from(row.metadata);
  const urls = attachments.length === 0 ? null : attachmentUrls(attachments, addresses);
  return [
    ['id', { value: row.example_id }],
    ['dataset_id', { value: row.dataset_id }],
    ['name', { value: `#${row.example_id.slice(0, 4)} @ ${row.dataset_name}` }],
    ['created_at', { value: row.created_at }],
    ['modified_at', { value: row.valid_from }],
    ['source_run_id', { value: row.source_run_id }],
    ['metadata', payloadMember(selected.has('metadata') ? metadata : undefined)],
    ['inputs', inputs === undefined ? { value: {} } : { payload: inputs }],
    ['outputs', payloadMember(selected.has('outputs') ? outputs : undefined)],
    ['attachment_urls', { value: selected.has('attachment_urls') ? urls : null }],
  ];
}

/** Bytes are answered as they were sent, so that no number is rounded. */
export function payloadMember(payload: StoredPayload | Uint8Array | undefined): Member {
  if (payload === undefined) return { value: null };
  return { payload: payload instanceof Uint8Array ? sentBytes(payload) : payload };
}

function sentBytes(bytes: Uint8Array): StoredPayload {
  return {
    packed: bytes,
    pieces: async function* pieces() {
      yield bytes;
    },
  };
}

/** Clients fetch these addresses unchanged, without a key. */
function attachmentUrls(attachments: readonly ExampleAttachment[], addresses: AttachmentAddresses) {
  return Object.fromEntries(
    attachments.map(({ name, content_type, digest }) => {
      const url = addresses.attachmentUrl({ name, content_type, digest });
      return [`attachment.${name}`, { presigned_url: url, s3_url: url, mime_type: content_type }];
    }),
  );
}
