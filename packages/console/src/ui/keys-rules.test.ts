import { expect, test } from 'vitest';
import { isPressed, keyWords } from './keys-rules.ts';

const none = { ctrlKey: false, metaKey: false, altKey: false };

test.each([
  ['n', { ...none, key: 'n' }, true],
  ['n', { ...none, key: 'n', ctrlKey: true }, false],
  ['n', { ...none, key: 'n', altKey: true }, false],
  ['mod+k', { ...none, key: 'K', metaKey: true }, true],
  ['mod+k', { ...none, key: 'k', ctrlKey: true }, true],
  ['mod+k', { ...none, key: 'k' }, false],
  ['mod+enter', { ...none, key: 'Enter', ctrlKey: true }, true],
])('when %s is meant and %o pressed, then it is it: %s', (key, press, is) => {
  expect(isPressed(key, press)).toBe(is);
});

const mac = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)';

test.each([
  ['mod+k', mac, '⌘K'],
  ['mod+enter', mac, '⌘Enter'],
  ['mod+k', 'Mozilla/5.0 (X11; Linux x86_64)', 'Ctrl K'],
  ['Enter', mac, 'Enter'],
  ['n', mac, 'n'],
])('when %s is shown in %s, then it is %s', (key, agent, words) => {
  expect(keyWords(key, agent)).toBe(words);
});
