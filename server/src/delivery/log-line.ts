export type LogLine = (fields: object, message: string) => void
