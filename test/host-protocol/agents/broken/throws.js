/** Fails while it is loaded. */
throw new Error('this agent never loads');
