import { Problem } from '@roadstead/kit';

/** The most characters of one event of a provider. */
const MAX_EVENT_LENGTH = 16_777_216;

/** The data of server-sent events, as they come. @throws Problem where one is too large. */
export async function* readEvents(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const data: string[] = [];
  let [rest, length] = ['', 0];
  const take = (line: string): string | undefined => {
    if (line !== '') {
      const [, value] = /^data: ?([\s\S]*)$/.exec(line) ?? [];
      if (value !== undefined) data.push(value);
      return undefined;
    }
    length = 0;
    return data.length === 0 ? undefined : data.splice(0).join('\n');
  };
  for await (const chunk of chunks) {
    const more = decoder.decode(chunk, { stream: true });
    length += more.length;
    if (length > MAX_EVENT_LENGTH)
      throw new Problem('invalid', 'The provider sends an event that is too large.');
    if (!/[\r\n]/.test(more)) {
      rest += more;
      continue;
    }
    const text = rest + more;
    // A return at the end may be the first half of a line's end.
    const whole = text.endsWith('\r') ? text.slice(0, -1) : text;
    const lines = whole.split(/\r\n|\n|\r/);
    rest = (lines.pop() ?? '') + text.slice(whole.length);
    for (const line of lines) {
      const event = take(line);
      if (event !== undefined) yield event;
    }
  }
  take(rest.replace(/\r$/, ''));
  const last = take('');
  if (last !== undefined) yield last;
}
