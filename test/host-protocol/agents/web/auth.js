import { Auth, HTTPException } from '@langchain/langgraph-sdk/auth';

/** `Bearer sesame` is ali. Threads are seen by their owner alone; assistants are read by nobody. */
export const auth = new Auth()
  .authenticate(async (request) => {
    if (request.headers.get('authorization') !== 'Bearer sesame')
      throw new HTTPException(401, { message: 'Who are you?' });
    return { identity: 'ali', permissions: ['read'] };
  })
  .on('threads', ({ user }) => ({ owner: user.identity }))
  .on('assistants:read', () => false);
