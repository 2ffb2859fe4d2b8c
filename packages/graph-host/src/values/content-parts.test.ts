import { expect, test } from 'vitest';
import { partsOf } from './content-parts.ts';

const png = { kind: 'file', file: { bytes: 'iVBO' }, media_type: 'image/png' };
const far = { kind: 'file', file: { uri: 'https://example.com/a.pdf' } };

test.each([
  ['a text', 'hello', [{ kind: 'text', text: 'hello' }]],
  ['an empty text', '', []],
  ['nothing', undefined, []],
  [
    'a list of texts',
    ['a', { type: 'text', text: 'b' }, { text: 'c' }],
    ['a', 'b', 'c'].map((text) => ({ kind: 'text', text })),
  ],
  ['bytes as LangChain writes them', [{ type: 'image', data: 'iVBO', mimeType: 'image/png' }], [png]],
  [
    'bytes as they come',
    [{ type: 'image', data: Buffer.from('iVBO', 'base64'), mimeType: 'image/png' }],
    [png],
  ],
  [
    'bytes as LangChain wrote them before',
    [{ type: 'image', source_type: 'base64', data: 'iVBO', mime_type: 'image/png' }],
    [png],
  ],
  [
    'bytes as Anthropic writes them',
    [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBO' } }],
    [png],
  ],
  [
    'bytes as OpenAI writes them',
    [{ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBO' } }],
    [png],
  ],
  ['an address as a text of OpenAI', [{ type: 'image_url', image_url: 'https://example.com/a.pdf' }], [far]],
  [
    'a file of OpenAI',
    [{ type: 'file', file: { filename: 'a.png', file_data: 'data:image/png;base64,iVBO' } }],
    [{ ...png, name: 'a.png' }],
  ],
  ['an address', [{ type: 'file', url: 'https://example.com/a.pdf' }], [far]],
  [
    'an address with a name and a type',
    [
      {
        type: 'file',
        source_type: 'url',
        url: 'https://example.com/a.pdf',
        mime_type: 'application/pdf',
        metadata: { filename: 'a.pdf' },
      },
    ],
    [{ ...far, media_type: 'application/pdf', name: 'a.pdf' }],
  ],
  [
    'data',
    [
      { type: 'data', data: [1] },
      { type: 'non_standard', value: { a: 1 } },
    ],
    [
      { kind: 'data', data: [1] },
      { kind: 'data', data: { a: 1 } },
    ],
  ],
  [
    'thoughts and calls',
    [{ type: 'reasoning', reasoning: 'hm' }, { type: 'tool_use', id: '1', name: 'add', input: {} }, null, 5],
    [],
  ],
  ['a file by the id of a provider', [{ type: 'file', fileId: 'file-1' }], []],
])('when the content is %s, then its parts are those of A2A', (_name, content, expected) => {
  expect(partsOf(content)).toEqual(expected);
});
