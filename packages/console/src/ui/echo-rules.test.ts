import { expect, test } from 'vitest';
import { hear } from './echo-rules.ts';

test('when a form gives back an older text of the field, then the newer one stays', () => {
  expect(hear(['a', 'ab', 'abc'], 'a')).toEqual({ is_echo: true, told: ['ab', 'abc'] });
  expect(hear(['a', 'ab', 'abc'], 'abc')).toEqual({ is_echo: true, told: [] });
});

test('when a form gives another text, then the field takes it', () => {
  expect(hear(['a', 'ab'], '{}')).toEqual({ is_echo: false, told: [] });
  expect(hear([], 'a')).toEqual({ is_echo: false, told: [] });
});
