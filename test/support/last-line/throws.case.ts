throw new Error('This file can’t be loaded.');
