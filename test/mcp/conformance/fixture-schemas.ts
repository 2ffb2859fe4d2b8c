import { fromJsonSchema, type McpServer } from '@modelcontextprotocol/server';
import { text } from './fixture-content.ts';

/** Tools whose schemas have to arrive as they were written. */

const text_schema = { type: 'string' } as const;

const schemas = {
  json_schema_2020_12_tool: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    $defs: {
      address: {
        $anchor: 'addressDef',
        type: 'object',
        properties: { street: text_schema, city: text_schema },
      },
    },
    properties: {
      name: text_schema,
      address: { $ref: '#/$defs/address' },
      contactMethod: { type: 'string', enum: ['phone', 'email'] },
      phone: text_schema,
      email: text_schema,
    },
    allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
    if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    then: { required: ['phone'] },
    else: { required: ['email'] },
    additionalProperties: false,
  },
  test_x_mcp_header: {
    type: 'object',
    properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
    required: ['region'],
  },
};

export function registerSchemas(server: McpServer): void {
  for (const [name, schema] of Object.entries(schemas))
    server.registerTool(
      name,
      {
        description: `Fixture of the conformance kit: ${name}.`,
        inputSchema: fromJsonSchema<Record<string, unknown>>(schema),
      },
      (given) => ({ content: [text(JSON.stringify(given))] }),
    );
}
