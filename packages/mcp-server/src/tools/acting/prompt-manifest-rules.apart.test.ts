import { longestHold } from '@roadstead/testing';
import { load } from '@langchain/core/load';
import { ChatPromptTemplate, MessagesPlaceholder, type PromptTemplate } from '@langchain/core/prompts';
import { describe, expect, test } from 'vitest';
import { manifestOf, type PromptInput } from './prompt-manifest-rules.ts';

const chat = [
  ['system', 'Answer about {topic}, in {{braces}}.'],
  ['user', '{question}'],
  ['assistant', 'Well, {topic} …'],
] as const;

describe('what LangChain loads of a manifest', () => {
  const loaded = async (said: PromptInput) => load(JSON.stringify(manifestOf(said)));

  test('when messages are given, then the prompt is the chat that was said', async () => {
    const messages = [
      ...chat.map(([role, content]) => ({ role, content })),
      { role: 'placeholder', content: '{history}' },
    ];
    const prompt = (await loaded({ messages })) as ChatPromptTemplate;
    const same = ChatPromptTemplate.fromMessages([
      ['system', chat[0][1]],
      ['human', chat[1][1]],
      ['ai', chat[2][1]],
      new MessagesPlaceholder('history'),
    ]);
    const given = { topic: 'ships', question: 'Where?', history: [] };
    const [one, other] = await Promise.all([prompt.formatMessages(given), same.formatMessages(given)]);
    expect(one.map((message) => [message.getType(), message.content])).toEqual(
      other.map((message) => [message.getType(), message.content]),
    );
    expect(prompt.inputVariables.toSorted()).toEqual(same.inputVariables.toSorted());
  });

  test('when a template is given, then the prompt is the text that was said', async () => {
    const prompt = (await loaded({ template: 'Say {word} {word}' })) as PromptTemplate;
    expect(prompt.inputVariables).toEqual(['word']);
    expect(await prompt.format({ word: 'ahoy' })).toBe('Say ahoy ahoy');
  });

  test('when a mustache template is asked for, then the prompt is one', async () => {
    const prompt = (await loaded({
      template: 'Say {{word}} {"as": "json"}',
      template_format: 'mustache',
    })) as PromptTemplate;
    expect(prompt.inputVariables).toEqual(['word']);
    expect(await prompt.format({ word: 'ahoy' })).toBe('Say ahoy {"as": "json"}');
  });
});

test.each([['{'], ['}'], ['{}'], ['{a b}'], ['{1}'], ['{a}}'], ['{ "json": 1 }']])(
  'when the f-string is %s, then it is refused',
  (template) => {
    expect(() => manifestOf({ template })).toThrow(/brace/);
  },
);

test.each([
  [{ messages: [{ role: 'user', content: 'x', name: 'y' }] }, /messages\[0\] has a member/],
  [{ messages: [{ role: 'placeholder', content: 'two words' }] }, /messages\[0\]\.content/],
  [
    {
      messages: [
        { role: 'user', content: 'x' },
        { role: 'tool', content: 'y' },
      ],
    },
    /messages\[1\]\.role/,
  ],
])('when the prompt is %j, then it is refused', (said, says) => {
  expect(() => manifestOf(said)).toThrow(says);
});

test('when a manifest is given, then it stays as it is', () => {
  const manifest = { lc: 1, id: ['langchain', 'x'] };
  expect(manifestOf({ manifest })).toBe(manifest);
});

test.each([['a'], [' '], ['a.'], ['{{ a']])(
  'when a template of %j has no end, then it holds nobody up',
  async (piece) => {
    const template = `{{${piece.repeat(100_000)}`;
    const held_ms = await longestHold(async () => {
      manifestOf({ template, template_format: 'mustache' });
    });
    expect(held_ms).toBeLessThan(100);
  },
);
