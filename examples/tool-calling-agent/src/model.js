import { ChatOpenAI } from '@langchain/openai';
import { RuleModel } from './rule-model.js';

/** A model of OpenAI where there is a key for one; it reads OPENAI_API_KEY and OPENAI_BASE_URL itself. */
export function chooseModel() {
  if (!process.env.OPENAI_API_KEY) return new RuleModel({});
  return new ChatOpenAI({ model: process.env.OPENAI_MODEL || 'gpt-4.1-mini' });
}
