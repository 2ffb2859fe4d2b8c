import type { Locator } from 'playwright-core';
import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { lookAt, useConsole } from './support/console.ts';
import { deployAsking } from './support/asking-agent.ts';

/** Every button of the forms in which a person answers: what the thread then holds is what the graph was answered. */

const { signedIn } = useConsole();
const agent = useFixture(deployAsking);

type Press = (name: string) => Promise<void>;

interface OpenForm {
  readonly form: Locator;
  readonly press: Press;
  /** What the graph was answered. */
  readonly answer: () => Promise<unknown>;
}

/** A thread that asks this, open in the inbox. */
async function asked(question: unknown): Promise<OpenForm> {
  const thread = await agent().ask(question);
  const page = await signedIn(`/console/inbox?agent=${agent().slug}&thread=${thread}`);
  const form = page.getByRole('region', { name: 'Question' });
  return {
    form,
    press: (name) => form.getByRole('button', { name, exact: true }).click(),
    answer: async () => {
      await page.getByText(`${agent().slug} has your answer.`).waitFor();
      await expect.poll(() => agent().answerOn(thread)).toBeDefined();
      return agent().answerOn(thread);
    },
  };
}

const refund = { euros: 31, to: 'Ada' };

/** How LangChain's middleware for people asks about one call of a tool. */
const proposal = (allowed: readonly string[]) => ({
  action_requests: [{ name: 'refund', args: refund, description: 'A refund of **31** euros' }],
  review_configs: [{ action_name: 'refund', allowed_decisions: allowed }],
});
const everything = ['approve', 'edit', 'respond', 'reject'];

test('when a proposed action is accepted, then the graph is told to go on', async () => {
  const { form, press, answer } = await asked(proposal(everything));
  await form.getByRole('region', { name: 'Action refund' }).waitFor();
  await lookAt(form.page(), 'inbox-review');
  await press('Accept');
  expect(await answer()).toEqual({ decisions: [{ type: 'approve' }] });
});

test('when a proposed action is edited, then the graph gets the edited arguments', async () => {
  const { form, press, answer } = await asked(proposal(everything));
  await press('Edit');
  await form.getByLabel('euros').fill('many');
  await press('Send the edited action');
  await form.getByText('Enter a number.').waitFor();
  await form.getByLabel('euros').fill('30');
  await lookAt(form.page(), 'inbox-edit');
  await press('Send the edited action');
  expect(await answer()).toEqual({
    decisions: [{ type: 'edit', edited_action: { name: 'refund', args: { ...refund, euros: 30 } } }],
  });
});

test('when a proposed action is responded to, then the graph gets the words', async () => {
  const { form, press, answer } = await asked(proposal(everything));
  await press('Respond');
  await form.getByLabel('What the agent should know').fill('Ada has had it.');
  await press('Send the response');
  expect(await answer()).toEqual({ decisions: [{ type: 'respond', message: 'Ada has had it.' }] });
});

test('when a proposed action is rejected, then the graph is told why', async () => {
  const { form, press, answer } = await asked(proposal(['approve', 'reject']));
  expect(await form.getByRole('button', { name: 'Edit' }).count()).toBe(0);
  await press('Reject');
  await form.getByLabel('Why the agent should not do it').fill('Too much.');
  await press('Reject the action');
  expect(await answer()).toEqual({ decisions: [{ type: 'reject', message: 'Too much.' }] });
});

test('when several actions are proposed, then the answer goes out with the last decision', async () => {
  const action = (name: string) => ({
    action_request: { action: name, args: refund },
    config: { allow_accept: true, allow_edit: true, allow_respond: true, allow_ignore: true },
  });
  const { form, answer } = await asked([action('refund'), action('write')]);
  const decide = (name: string, decision: string) =>
    form
      .getByRole('region', { name: `Action ${name}` })
      .getByRole('button', { name: decision })
      .click();
  await decide('refund', 'Ignore');
  await form.getByText('ignored').waitFor();
  await decide('write', 'Accept');
  expect(await answer()).toEqual([
    { type: 'ignore', args: null },
    { type: 'accept', args: { action: 'write', args: refund } },
  ]);
});

test('when choices are offered, then the graph gets the value of the one that is pressed', async () => {
  const options = ['red', { label: 'Blue as the sea', value: { colour: 'blue' } }];
  const { form, press, answer } = await asked({ question: 'Which colour?', options });
  await form.getByText('Which colour?').waitFor();
  await lookAt(form.page(), 'inbox-choice');
  await press('Blue as the sea');
  expect(await answer()).toEqual({ colour: 'blue' });
});

test('when a yes or no is asked, then the graph gets a boolean', async () => {
  const { press, answer } = await asked({ question: 'Sure?', schema: { type: 'boolean' } });
  await press('No');
  expect(await answer()).toBe(false);
});

test('when a schema is asked, then the form has its fields, and the graph gets an object', async () => {
  const properties = {
    name: { type: 'string', title: 'Your name' },
    seats: { type: 'integer' },
    meal: { enum: ['fish', 'greens'] },
    window: { type: 'boolean', title: 'At the window' },
    wishes: { type: 'object' },
  };
  const schema = { type: 'object', properties, required: ['name', 'seats'] };
  const { form, press, answer } = await asked({ message: 'Book a table', schema });
  await press('Answer');
  await form.getByText('Enter Your name.').waitFor();
  await form.getByLabel('Your name').fill('Ada');
  await form.getByLabel('seats').fill('2');
  await form.getByLabel('meal').selectOption('fish');
  await form.getByLabel('At the window').check();
  await form.getByLabel('wishes').fill('{"flowers": true}');
  await lookAt(form.page(), 'inbox-form');
  await press('Answer');
  expect(await answer()).toEqual({
    name: 'Ada',
    seats: 2,
    meal: 'fish',
    window: true,
    wishes: { flowers: true },
  });
});

test('when somebody prefers JSON, then the graph gets it, and the form is there again', async () => {
  const { form, press, answer } = await asked({ question: 'How many?', schema: { type: 'integer' } });
  await press('Answer with JSON');
  await press('Answer in the form');
  await form.getByLabel('answer').waitFor();
  await press('Answer with JSON');
  await form.getByLabel('Your answer as JSON').fill('[1, 2]');
  await press('Answer');
  expect(await answer()).toEqual([1, 2]);
});
