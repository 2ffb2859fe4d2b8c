import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage } from '@langchain/core/messages';

/** Stands in for a model where there is no key: it plans by a few rules, always the same. */
export class RuleModel extends BaseChatModel {
  _llmType() {
    return 'rules';
  }

  bindTools() {
    return this;
  }

  async _generate(messages) {
    const message = answer(messages);
    return { generations: [{ text: String(message.content), message }] };
  }
}

function answer(messages) {
  const asked = messages.findLastIndex((message) => message.getType() === 'human');
  const question = String(messages[asked]?.content ?? '');
  const results = messages.slice(asked).filter((message) => message.getType() === 'tool');
  const next = plan(question)[results.length];
  const last = results.at(-1);
  if (next !== undefined && last?.status !== 'error') return call(next(last?.content), messages.length);
  if (last === undefined)
    return new AIMessage(
      'I can count days, calculate and tell the time. Ask "How many hours are there between 2028-02-01 and 2028-03-01?"',
    );
  return new AIMessage(
    last.status === 'error' ? `That did not work: ${last.content}` : `The answer is ${last.content}.`,
  );
}

const perDay = { hour: 24, minute: 24 * 60, second: 24 * 60 * 60 };
const signs = { '+': 'add', '-': 'subtract', '*': 'multiply', '/': 'divide' };

/** The calls that lead to an answer; each takes what the one before it gave. */
function plan(question) {
  const [from, to] = question.match(/\d{4}-\d{2}-\d{2}/g) ?? [];
  if (to !== undefined) {
    const unit = /\b(hour|minute|second)s?\b/i.exec(question)?.[1].toLowerCase();
    const days = () => ['days_between', { from, to }];
    const times = (a) => ['calculate', { operation: 'multiply', a: Number(a), b: perDay[unit] }];
    return unit === undefined ? [days] : [days, times];
  }
  const term = /(-?[\d.]+)\s*([-+*/])\s*(-?[\d.]+)/.exec(question);
  if (term !== null)
    return [() => ['calculate', { operation: signs[term[2]], a: Number(term[1]), b: Number(term[3]) }]];
  const zone = /\b[A-Z]\w+\/[A-Z]\w+\b/.exec(question)?.[0];
  return zone === undefined ? [] : [() => ['time_in', { time_zone: zone }]];
}

function call([name, args], at) {
  return new AIMessage({
    content: '',
    tool_calls: [{ id: `call-${at}`, name, args, type: 'tool_call' }],
  });
}
