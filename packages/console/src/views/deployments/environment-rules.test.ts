import { expect, test } from 'vitest';
import { editedEnvironment, editFault, isEdited, NO_EDIT, variablesIn } from './environment-rules.ts';

test('when variables are replaced, removed and added, then all is sent, unseen values kept', () => {
  const edit = {
    replaced: { B: 'two' },
    removed: ['C'],
    added: [
      { name: 'D', value: '' },
      { name: '', value: '' },
    ],
  };
  expect(editedEnvironment(['A', 'B', 'C'], edit)).toEqual([
    { name: 'A', value: '********' },
    { name: 'B', value: 'two' },
    { name: 'D', value: '' },
  ]);
});

test('when a name that is there is added, then its value is replaced', () => {
  const edit = { ...NO_EDIT, added: [{ name: 'A', value: 'new' }] };
  expect(editedEnvironment(['A'], edit)).toEqual([{ name: 'A', value: 'new' }]);
});

test('when a row is empty, then it is no change', () => {
  expect([isEdited(NO_EDIT), isEdited({ ...NO_EDIT, added: [{ name: '', value: 'x' }] })]).toEqual([
    false,
    false,
  ]);
});

test.each([
  [['A', 'B'], undefined],
  [['A-B'], /A-B is no name/],
  [['A', 'A'], /A is there twice/],
])('when %j are added, then the fault is %s', (names, fault) => {
  const found = editFault({ ...NO_EDIT, added: names.map((name) => ({ name, value: '' })) });
  expect(found ?? '').toMatch(fault ?? /^$/);
});

test('when a value is replaced by nothing, then the fault names its variable', () => {
  expect(editFault({ ...NO_EDIT, replaced: { A: 'new', B: '' } })).toBe(
    'Enter the new value of B, or keep it.',
  );
});

test('when lines of a .env file are pasted, then names and values are read', () => {
  const text = '# keys\nexport A=1\nB = "two\\nlines" # why\nC=\'#3\'\nD=four # five\nno line\nE=';
  expect(variablesIn(text)).toEqual([
    { name: 'A', value: '1' },
    { name: 'B', value: 'two\nlines' },
    { name: 'C', value: '#3' },
    { name: 'D', value: 'four' },
    { name: 'E', value: '' },
  ]);
});
