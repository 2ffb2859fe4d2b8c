throw new Error('this agent never loads');
