// Builds what browsers are served, the console and the help: before `npm start`, and in an image.
await import('./build-console.mjs')
await import('./build-help.mjs')
