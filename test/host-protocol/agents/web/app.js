import { Hono } from 'hono';

/** Says hello, echoes what it gets, asks its own deployment, and has nothing anywhere else. */
export const app = new Hono();
app.get('/hello', (c) => c.json({ hello: c.req.query('name') ?? 'world' }));
app.post('/echo', (c) => new Response(c.req.raw.body, { headers: { 'content-type': 'text/plain' } }));
app.get('/own', async (c) => {
  const answer = await globalThis[Symbol.for('langgraph_api:fetch')]('/info');
  return c.text(await answer.text());
});
