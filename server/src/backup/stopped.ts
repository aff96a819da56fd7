export const stopped = () => new Error('stopped; nothing of it is left')
