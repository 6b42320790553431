package e2e_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclwrite"
)

// metaArguments are those that Terraform gives every resource.
var metaArguments = []string{"count", "depends_on", "for_each", "lifecycle", "provider", "provisioner"}

// withStandIns returns a configuration that needs no other provider. Each resource of another provider becomes a terraform_data with its
// arguments and nested blocks as input, and data "http" becomes a filetransfer_instance. Whatever a configuration refers to and does not
// declare is declared.
func withStandIns(t *testing.T, configuration string) string {
	t.Helper()
	file, diags := hclwrite.ParseConfig([]byte(configuration+missing(configuration)), "main.tf", hcl.InitialPos)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	text, references := "", []string{`\bdata\.http\.`, "data.filetransfer_instance."}
	for _, block := range file.Body().Blocks() {
		labels, body := block.Labels(), block.Body()
		switch {
		case block.Type() == "terraform":
			for _, providers := range body.Blocks() {
				for provider := range providers.Body().Attributes() {
					if provider != "filetransfer" {
						providers.Body().RemoveAttribute(provider)
					}
				}
			}
			text += source(block)
		case block.Type() == "provider" && labels[0] != "filetransfer":
		case block.Type() == "data" && labels[0] == "http":
			text += fmt.Sprintf("data \"filetransfer_instance\" %q {\n  base_url = trimsuffix(%s, \"/instance\")\n}\n", labels[1],
				source(body.GetAttribute("url").Expr()))
		case block.Type() == "resource" && labels[0] != "terraform_data" && !strings.HasPrefix(labels[0], "filetransfer_"):
			name := labels[0] + "_" + labels[1]
			members, meta := argumentsOf(body)
			text += fmt.Sprintf("resource \"terraform_data\" %q {\n%s  input = {\n%s}\n}\n", name, meta, members)
			references = append(references,
				`\b`+labels[0]+`\.`+labels[1]+`\.(\w+)`, "try(terraform_data."+name+".input.$1, terraform_data."+name+".id)",
				`\b`+labels[0]+`\.`+labels[1]+`\b`, "terraform_data."+name)
		default:
			text += source(block)
		}
		text += "\n"
	}
	for pair := range slices.Chunk(references, 2) {
		text = regexp.MustCompile(pair[0]).ReplaceAllString(text, pair[1])
	}
	return string(hclwrite.Format([]byte(text)))
}

func source(part interface {
	BuildTokens(hclwrite.Tokens) hclwrite.Tokens
}) string {
	return string(part.BuildTokens(nil).Bytes())
}

// argumentsOf returns the arguments and nested blocks of a body as members of an object, in which blocks of one type are a list, and its
// meta-arguments as they are.
func argumentsOf(body *hclwrite.Body) (members, meta string) {
	nested := map[string]string{}
	for name, argument := range body.Attributes() {
		if !slices.Contains(metaArguments, name) {
			members += name + " = " + source(argument.Expr()) + "\n"
		} else if name != "provider" {
			meta += source(argument)
		}
	}
	for _, block := range body.Blocks() {
		if slices.Contains(metaArguments, block.Type()) {
			meta += source(block)
		} else {
			inner, _ := argumentsOf(block.Body())
			nested[block.Type()] += "{\n" + inner + "}, "
		}
	}
	for name, objects := range nested {
		members += name + " = [" + objects + "]\n"
	}
	return members, meta
}

// missing returns declarations of the variables, data sources and resources that a configuration refers to and does not declare. If it only
// has a provider block, missing returns a data source that uses it.
func missing(configuration string) (declarations string) {
	declare := func(header, body string) {
		if !strings.Contains(configuration+declarations, header) {
			declarations += "\n" + header + " {" + body + "}\n"
		}
	}
	for _, match := range regexp.MustCompile(`\b(data\.)?([a-z]\w*)\.(\w+)[\w.]*`).FindAllStringSubmatch(configuration, -1) {
		isData, kind, name := match[1] != "", match[2], match[3]
		switch header := fmt.Sprintf("resource %q %q", kind, name); {
		case kind == "var":
			declare(fmt.Sprintf("variable %q", name), fmt.Sprintf(" default = %q ", "any "+name))
		case isData && kind == "filetransfer_instance":
			declare(fmt.Sprintf("data %q %q", kind, name), " base_url = \""+exampleURL+"\" ")
		case kind == "filetransfer_instance_record":
			declare(header, " base_url = \""+exampleURL+"\" ")
		case !isData && strings.Contains(kind, "_"): // as in the type of each resource
			declare(header, "")
		}
	}
	if strings.Contains(configuration, `provider "filetransfer"`) && !strings.Contains(configuration, "filetransfer_instance") {
		declare(`data "filetransfer_instance" "uses_the_provider_block"`, "")
	}
	return declarations
}

func TestStandIns(t *testing.T) {
	t.Parallel()
	got := withStandIns(t, `
terraform {
  required_providers {
    aws = { source = "hashicorp/aws" }
  }
}
provider "aws" {}
data "http" "files" { url = "${var.base_url}/instance" }
resource "aws_example" "copies" {
  rule { status = jsondecode(data.http.files.response_body).fileMaxAge }
  provider   = aws.paris
  depends_on = [aws_bucket.uploads]
}
output "bucket" { value = aws_example.copies.bucket }
`)
	const want = `
terraform {
  required_providers {
  }
}
data "filetransfer_instance" "files" {
  base_url = trimsuffix("${var.base_url}/instance", "/instance")
}
resource "terraform_data" "aws_example_copies" {
  depends_on = [terraform_data.aws_bucket_uploads]
  input = {
    rule = [{
      status = jsondecode(data.filetransfer_instance.files.response_body).fileMaxAge
    }, ]
  }
}
output "bucket" { value = try(terraform_data.aws_example_copies.input.bucket, terraform_data.aws_example_copies.id) }
variable "base_url" { default = "any base_url" }
resource "terraform_data" "aws_bucket_uploads" {
  input = {
  }
}
`
	if !slices.Equal(strings.Fields(got), strings.Fields(want)) {
		t.Errorf("the configuration became\n%s\nwant\n%s", got, want)
	}
}
