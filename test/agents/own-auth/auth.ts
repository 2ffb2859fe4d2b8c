import { Auth, HTTPException } from '@langchain/langgraph-sdk/auth';

/** Bearer tokens are names, of which some are known; what somebody made is seen by nobody else. */
export const auth = new Auth()
  .authenticate(async (request: Request) => {
    const name = request.headers.get('authorization')?.replace('Bearer ', '') ?? '';
    if (!['alice', 'bob'].includes(name)) throw new HTTPException(401, { message: 'Who are you?' });
    return { identity: name, permissions: [] };
  })
  .on('*', ({ value, user }) => {
    if ('metadata' in value) {
      value.metadata ??= {};
      value.metadata['owner'] = user.identity;
    }
    return { owner: user.identity };
  });
