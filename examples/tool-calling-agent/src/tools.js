import { tool } from '@langchain/core/tools';
import { z } from 'zod';

const DAY_MS = 24 * 60 * 60 * 1000;

const daysBetween = tool(async ({ from, to }) => String((Date.parse(to) - Date.parse(from)) / DAY_MS), {
  name: 'days_between',
  description: 'Counts the days from one date to another.',
  schema: z.object({ from: z.iso.date(), to: z.iso.date() }),
});

const operations = {
  add: (a, b) => a + b,
  subtract: (a, b) => a - b,
  multiply: (a, b) => a * b,
  divide: (a, b) => a / b,
};

const calculate = tool(async ({ operation, a, b }) => String(operations[operation](a, b)), {
  name: 'calculate',
  description: 'Does one step of arithmetic.',
  schema: z.object({ operation: z.enum(Object.keys(operations)), a: z.number(), b: z.number() }),
});

const timeIn = tool(
  async ({ time_zone }) =>
    new Intl.DateTimeFormat('en-GB', { timeZone: time_zone, dateStyle: 'full', timeStyle: 'short' }).format(),
  {
    name: 'time_in',
    description: 'Tells the present date and time in a time zone.',
    schema: z.object({ time_zone: z.string().describe('A name of IANA, such as Europe/Lisbon') }),
  },
);

/** A tool that throws is no end: the model reads the error, and may try again. */
export const tools = [daysBetween, calculate, timeIn];
