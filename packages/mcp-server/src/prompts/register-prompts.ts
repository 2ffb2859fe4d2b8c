import { completable, type McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Apis } from '../access/api-client.ts';
import { completerOf } from '../resources/completer.ts';
import type { Investigation } from './investigations.ts';

/** Offers investigations to one caller. */
export function registerPrompts(server: McpServer, prompts: readonly Investigation[], apis: Apis): void {
  for (const { name, title, description, inputs, ask } of prompts) {
    const argsSchema = z.object(
      Object.fromEntries(
        Object.entries(inputs).map(([input, { description: doc, required, complete }]) => {
          const text = z.string().max(1000).describe(doc);
          const completed = complete === undefined ? text : completable(text, completerOf(complete, apis));
          return [input, required === true ? completed : completed.optional()];
        }),
      ),
    );
    server.registerPrompt(name, { title, description, argsSchema }, (given) => ({
      description,
      messages: [{ role: 'user', content: { type: 'text', text: ask(given as Record<string, string>) } }],
    }));
  }
}
