import { z } from 'zod';
import { endpoint } from '../endpoints/endpoint.ts';
import { queryInt } from '../values/query-values.ts';
import { mounts } from './deployments.ts';
import { WellFormedText } from '../values/well-formed-text.ts';

/** The description of a template, beside its id. */
export const TemplateFacts = z.object({
  title: WellFormedText,
  description: WellFormedText,
  /** The variables that secrets of its deployment can set. */
  variables: z.array(z.object({ name: WellFormedText, description: WellFormedText, required: z.boolean() })),
});

/** An agent that Roadstead brings, deployed by its id from source `internal_template`. */
export const Template = TemplateFacts.extend({ id: WellFormedText }).meta({ id: 'Template' });
export type Template = z.output<typeof Template>;

export const templates = {
  listTemplates: endpoint({
    method: 'GET',
    path: '/v2/templates',
    summary: 'List the templates that source internal_template deploys, by id',
    access: 'deployments:read',
    mounts,
    query: z.object({
      page_size: queryInt({ min: 1, max: 100, fallback: 20 }),
      cursor: WellFormedText.optional(),
    }),
    success: {
      status: 200,
      body: z.object({ items: z.array(Template), next_cursor: WellFormedText.nullable() }),
    },
    example: { query: { page_size: '50' } },
  }),
};
