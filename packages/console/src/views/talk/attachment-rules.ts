/** Files that a person sends with a message, as blocks that chat models read. */
export interface Attachment {
  readonly name: string;
  readonly type: string;
  readonly size: number;
  /** Base64, or the text itself of a text. */
  readonly data: string;
}

/** All files of a message together; the server takes 25 MB with what is around them. */
export const MOST_BYTES = 12_000_000;

const isTextType = (type: string) => type.startsWith('text/') || /[/+](?:json|xml|yaml)$/.test(type);
export const isTextFile = ({ type, name }: Pick<Attachment, 'type' | 'name'>): boolean =>
  isTextType(type) || /\.(?:md|txt|csv|jsonl?|ya?ml|py|[jt]sx?|log)$/i.test(name);

function blockOf({ name, type, data }: Attachment): Readonly<Record<string, unknown>> {
  if (isTextFile({ name, type })) return { type: 'text', text: `${name}:\n\n${data}` };
  if (type.startsWith('image/'))
    return { type: 'image_url', image_url: { url: `data:${type};base64,${data}` } };
  const kind = type.startsWith('audio/') ? 'audio' : 'file';
  return { type: kind, source_type: 'base64', mime_type: type, data, metadata: { filename: name } };
}

/** The content of a message: a text alone, or blocks where files come with it. */
export function contentOf(text: string, attachments: readonly Attachment[]): unknown {
  if (attachments.length === 0) return text;
  return [...(text === '' ? [] : [{ type: 'text', text }]), ...attachments.map(blockOf)];
}
