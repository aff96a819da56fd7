/** Of all that this repository holds; a test compares it with package.json. */
export const version = '0.1.0'
