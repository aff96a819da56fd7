export const stopped = () => new Error('stopped; what had been written was removed')
