data "filetransfer_instance" "files" {
  base_url = var.base_url
}

module "upload_form" {
  source = "./modules/upload-form"
  limits = data.filetransfer_instance.files
}
