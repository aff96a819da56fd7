export const Component = () => (
  <main>
    <h1>Enter a credential</h1>
  </main>
)
